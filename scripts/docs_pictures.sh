#!/usr/bin/env bash
# Makes the pictures of README and docs/guide.md from their scenes: scripts/docs_pictures.sh [PLUSH] [NAME...]
# Needs ffmpeg for the one that moves.
set -euo pipefail
plush=$(realpath "${1:-build/release/bin/plush}")
shift || true
cd "$(dirname "${BASH_SOURCE[0]}")/.."
pictures=docs/pictures
runs=out/docs

# guide NAME SIZE [OPTIONS...]: the variants of docs/scenes/NAME.jsonc side by side.
guide() {
    "$plush" run "docs/scenes/$1.jsonc" --out "$runs/$1" --replace --quiet
    "$plush" render "$runs/$1" --size "$2" -o "$pictures/guide-$1.png" --quiet "${@:3}"
}
picture_bars() { guide bars 960x288; }
picture_cards() { guide cards 800x320; }
picture_heavy() { guide heavy 640x576; }
picture_tent() { guide tent 800x320; }

picture_readme() {  # an animated PNG: few frames and colours, since it must not be larger than 300 KiB
    "$plush" run docs/scenes/ten_bears.json --out "$runs/ten_bears" --replace --quiet
    "$plush" render "$runs/ten_bears" --every 3 --size 360x280 --no-labels --quiet -o "$runs/ten_bears/small" \
        --camera "1.9,1.5,2.9; -0.05,0.5,0; 30"
    local name
    for name in "$runs"/ten_bears/small/frame-*.png; do echo "file '$PWD/$name'"; done > "$runs/ten_bears/small/list.txt"
    ffmpeg -v error -y -r 10 -f concat -safe 0 -i "$runs/ten_bears/small/list.txt" -frames:v 26 -filter_complex \
        "[0]crop=300:240:25:30,scale=270:216:flags=area,split[a][b];[a]palettegen=max_colors=60:reserve_transparent=0[p];[b][p]paletteuse=dither=none" \
        -plays 0 -pred mixed -f apng "$pictures/ten_bears.png"
}
picture_start() {
    "$plush" run docs/scenes/first.json --out "$runs/first" --replace --quiet
    "$plush" render "$runs/first" --size 640x400 -o "$pictures/start.png" --quiet
}

all=(bars cards heavy tent start readme)
for name in "${@:-${all[@]}}"; do
    echo "$name"
    "picture_$name"
done
ls -l "$pictures"/guide-*.png "$pictures"/start.png "$pictures"/ten_bears.png
