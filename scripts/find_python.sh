#!/bin/sh
# Prints the first Python that ctxadmin runs on, or says what to install.
for name in "${PYTHON:-python3}" python3 python3.13 python3.12 python3.11; do
  if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    command -v "$name"
    exit 0
  fi
done
echo "ctxadmin needs Python 3.11 or newer, and none was found." >&2
echo "Debian 12, Ubuntu 24.04 and later: apt-get install python3 python3-venv" >&2
echo "Other systems: install it, then run: make run PYTHON=/path/to/python3.11" >&2
exit 1
