#!/bin/sh
# Checks the islands, and that the committed files of static/ are what frontend/ builds; needs Node, else says so.
set -eu
if ! command -v npm >/dev/null; then
  if [ "${CI:-}" = true ]; then
    echo "npm is not installed: frontend/ cannot be checked, which fails under CI=true" >&2
    echo "As root: apt-get install nodejs npm" >&2
    exit 1
  fi
  echo "npm is not installed: built files are compared with their checksums only, in make test"
  exit 0
fi
echo "Check and build frontend/, then compare static/ and tests/assets/ with what is committed"
built="static/build static/vendor tests/assets"
npm --prefix frontend ci --ignore-scripts --no-audit --no-fund --silent
npm --prefix frontend run --silent typecheck
npm --prefix frontend run --silent test
npm --prefix frontend run --silent build >/dev/null
# shellcheck disable=SC2086 - a list of folders
if [ -n "$(git status --porcelain -- $built)" ]; then
  git status --short -- $built
  echo "These files are not what frontend/ builds: commit the build, or undo an edit by hand" >&2
  exit 1
fi
