#!/bin/sh
# Starts Chromium without the web pages of its own address bar, which every window loads, and which take most of the CPU
# time of a new window. Chromium reads only one list of disabled features, so they are added to the list of Playwright.
own='WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,PreloadTopChromeWebUI'
for argument; do
  shift
  case $argument in
    --disable-features=*) set -- "$@" "$argument,$own" ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec /usr/bin/chromium "$@"
