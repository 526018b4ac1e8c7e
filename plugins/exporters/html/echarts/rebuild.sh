#!/usr/bin/env bash
# Rebuilds the bundle of Apache ECharts from npm, in the versions of package-lock.json: rebuild.sh FOLDER [BUNDLE]
# installs the packages into FOLDER and writes BUNDLE, without it the checked-in echarts.min.js.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
bundle=$(realpath -m "${2:-$here/echarts.min.js}")
mkdir -p "$folder"
cp "$here"/{package.json,package-lock.json,entry.js} "$folder"
cd "$folder"
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
version=$(node -p 'require("echarts/package.json").version')
node_modules/.bin/esbuild entry.js --bundle --minify --format=iife --global-name=echarts --target=es2020 \
  --line-limit=500 --legal-comments=none --log-level=warning --banner:js="/* Apache ECharts $version: Apache License 2.0 */" \
  --outfile="$bundle"
