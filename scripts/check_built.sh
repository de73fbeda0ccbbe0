#!/bin/sh
# Checks the islands, and that the committed files of static/ are what frontend/ builds; needs Node.
set -eu
if ! command -v npm >/dev/null; then
  case "${CI:-}" in
    1 | [Tt][Rr][Uu][Ee] | [Yy][Ee][Ss])  # as scripts/ci.py
      echo "npm is not installed, but required in CI to check frontend/" >&2
      echo "As root: apt-get install nodejs npm" >&2
      exit 1
      ;;
  esac
  echo "npm is not installed: only make test compares the built files, by their checksums"
  exit 0
fi
echo "Checking and building frontend/, and comparing static/ and tests/assets/ with the committed files"
built="static/build static/vendor tests/assets"
npm --prefix frontend ci --ignore-scripts --no-audit --no-fund --silent
npm --prefix frontend run --silent typecheck
npm --prefix frontend run --silent test
npm --prefix frontend run --silent build >/dev/null
# shellcheck disable=SC2086 - a list of folders
if [ -n "$(git status --porcelain -- $built)" ]; then
  git status --short -- $built
  echo "These files are not what frontend/ builds. Commit the build, or undo manual changes." >&2
  exit 1
fi
