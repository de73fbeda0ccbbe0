// Copies what the pages use from node_modules into static/vendor, with licences and checksums, and
// builds the islands into static/build.
//
// Running ctxadmin needs none of this: the result is committed. The same lock file gives the
// same bytes; tests/unit/web/test_vendor.py compares them with VENDOR.json.

import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { buildIslands } from "./islands.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const modules = join(here, "node_modules");
const vendor = join(here, "..", "static", "vendor");
const testAssets = join(here, "..", "tests", "assets", "vendor");

// `licence` is the name of the text in static/vendor/licences; `licenceFrom` is where it stands.
const packages = [
  {
    name: "htmx.org",
    licence: "0BSD",
    licenceFrom: join(modules, "htmx.org", "LICENSE"),
    licenceText: "htmx.txt",
    files: { "htmx.min.js": "dist/htmx.min.js", "hx-ws.min.js": "dist/ext/hx-ws.min.js" },
  },
  {
    name: "@tabler/core",
    licence: "MIT",
    licenceFrom: join(here, "licences", "tabler.txt"), // the package carries no licence file
    licenceText: "tabler.txt",
    files: { "tabler.min.css": "dist/css/tabler.min.css", "tabler.min.js": "dist/js/tabler.min.js" },
  },
  {
    name: "@tabler/icons",
    licence: "MIT",
    licenceFrom: join(modules, "@tabler/icons", "LICENSE"),
    licenceText: "tabler-icons.txt",
    files: { "icons.svg": iconSprite },
  },
];

// Read by the browser tests only, so it is kept out of what is served.
const testPackages = [
  {
    name: "axe-core",
    licence: "MPL-2.0",
    licenceFrom: join(modules, "axe-core", "LICENSE"),
    licenceText: "axe-core.txt",
    files: { "axe.min.js": "axe.min.js" },
  },
];

// ManifestStaticFilesStorage looks for the map that this comment names, and we ship none.
function withoutSourceMap(text) {
  return text
    .replace(/\n?\/\/# sourceMappingURL=\S*\s*$/, "\n")
    .replace(/\n?\/\*# sourceMappingURL=[^*]*\*\/\s*$/, "\n");
}

async function iconSprite(packageRoot) {
  const listed = await readFile(join(here, "icons.txt"), "utf8");
  const names = listed.split("\n").filter((line) => line && !line.startsWith("#"));
  const symbols = [];
  for (const name of [...new Set(names)].sort()) {
    const svg = await readFile(join(packageRoot, "icons", "outline", `${name}.svg`), "utf8");
    const shapes = svg
      .slice(svg.indexOf(">") + 1, svg.lastIndexOf("</svg>"))
      .replace(/<path stroke="none" d="M0 0h24v24H0z" fill="none" \/>/, "")
      .replace(/\s*\n\s*/g, "");
    symbols.push(
      `<symbol id="${name}" viewBox="0 0 24 24" fill="none" stroke="currentColor" ` +
        `stroke-linecap="round" stroke-linejoin="round">${shapes}</symbol>`,
    );
  }
  return `<svg xmlns="http://www.w3.org/2000/svg">\n${symbols.join("\n")}\n</svg>\n`;
}

const sha256 = (text) => createHash("sha256").update(text).digest("hex");

async function copyPackage(target, { name, licence, licenceFrom, licenceText, files }) {
  const root = join(modules, name);
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const written = {};
  const write = async (path, text) => {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await writeFile(join(target, path), text);
    written[path] = sha256(text);
  };
  for (const [path, source] of Object.entries(files)) {
    const text =
      typeof source === "function" ? await source(root) : await readFile(join(root, source), "utf8");
    await write(path, withoutSourceMap(text));
  }
  await write(join("licences", licenceText), await readFile(licenceFrom, "utf8"));
  return { name, version, licence, sha256: written };
}

async function fill(target, list) {
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const entries = [];
  for (const entry of list) entries.push(await copyPackage(target, entry));
  await writeFile(join(target, "VENDOR.json"), `${JSON.stringify(entries, null, 2)}\n`);
  return entries;
}

for (const entry of [...(await fill(vendor, packages)), ...(await fill(testAssets, testPackages))]) {
  console.log(`${entry.name} ${entry.version}: ${Object.keys(entry.sha256).join(", ")}`);
}

console.log(`static/build: ${(await buildIslands()).join(", ")}`);
