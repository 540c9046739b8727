// node embed.mjs DIST OUT.cpp: the files of the built page as a C++ table (src/view/page_files.hpp).
import fs from 'node:fs';
import path from 'node:path';

const [dist, out] = process.argv.slice(2);
const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const files = fs
  .readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
  .sort();

// String literals: compilers read them many times faster than lists of numbers. Every byte is an escape of three octal
// digits or a plain letter, so that no escape runs into what follows.
function literal(bytes) {
  const lines = [];
  for (let at = 0; at < bytes.length; at += 4096) {
    let line = '';
    for (const b of bytes.subarray(at, at + 4096)) {
      const plain = b >= 0x20 && b < 0x7f && b !== 0x22 && b !== 0x5c && b !== 0x3f;
      line += plain ? String.fromCharCode(b) : `\\${b.toString(8).padStart(3, '0')}`;
    }
    lines.push(`    "${line}"`);
  }
  return lines.join('\n') || '    ""';
}

const tables = files.map((file, i) => {
  const bytes = fs.readFileSync(file);
  return `const unsigned char file_${i}[] =\n${literal(bytes)};\n`;
});
const entries = files.map((file, i) => {
  const address = `/${path.relative(dist, file).split(path.sep).join('/')}`;
  const type = types[path.extname(file)];
  if (!type) throw new Error(`no media type is known for ${file}`);
  return `    {"${address}", "${type}", {file_${i}, sizeof file_${i} - 1}},`;
});

const text = `// Made by web/scripts/embed.mjs from the built page.
#include "view/page_files.hpp"

#include <array>

namespace plush::view {

namespace {

${tables.join('\n')}
const std::array<PageFile, ${files.length}> table{{
${entries.join('\n')}
}};

}  // namespace

std::span<const PageFile> page_files() {
    return table;
}

}  // namespace plush::view
`;
fs.writeFileSync(`${out}.part`, text);
fs.renameSync(`${out}.part`, out);
