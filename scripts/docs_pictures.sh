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

picture_readme() {  # an animated PNG, which must not be larger than 300 KiB
    "$plush" run docs/scenes/ten_bears.jsonc --out "$runs/ten_bears" --replace --quiet
    "$plush" render "$runs/ten_bears" --every 3 --size 360x300 --no-labels --quiet -o "$runs/ten_bears/small" \
        --camera "2.6,2.1,3.4; 0,0.75,0; 30"
    ffmpeg -v error -y -framerate 10 -pattern_type glob -i "$runs/ten_bears/small/frame-*.png" -filter_complex \
        "[0]split[a][b];[a]palettegen=max_colors=96[p];[b][p]paletteuse=dither=none" -plays 0 -pred mixed -f apng "$pictures/ten_bears.png"
}

all=(bars cards heavy tent readme)
for name in "${@:-${all[@]}}"; do
    echo "$name"
    "picture_$name"
done
ls -l "$pictures"/guide-*.png "$pictures"/ten_bears.png
