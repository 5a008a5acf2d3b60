#!/bin/sh
# Stands in for the executable that answers prompts: works for the seconds that the prompt's last line says, and answers its first line in another alphabet.
# Its process group is written down, so that whoever looks afterwards finds what was left of it.
prompt=$(cat)
mkdir -p "$HOME/groups"
: >"$HOME/groups/$PPID"
sleep "$(printf '%s\n' "$prompt" | tail -n 1)"
printf '%s\n' "$prompt" | head -n 1 | tr 'a-zA-Z' 'n-za-mN-ZA-M' | tr -d '\n'
