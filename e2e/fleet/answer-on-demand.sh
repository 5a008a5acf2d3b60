#!/bin/sh
# Stands in for the executable that answers prompts. The prompt's last line is "answer [stubborn] in <folder>": it says by files below that folder how far it
# is, waits for a file `go`, and answers with the name of the node that it runs on. A stubborn one ignores SIGTERM. What it starts beside itself belongs to its group.
prompt=$(cat)
last=$(printf '%s\n' "$prompt" | tail -n 1)
folder=${last##* }
own=$folder/$(basename "$HOME")
mkdir -p "$own"
case "$last" in *stubborn*) trap ': >"$own/asked"' TERM ;; esac
sleep 600 >/dev/null 2>&1 &
# The leader of the group is the shell that watches over this program.
echo "$PPID" >"$own/group.new"
mv "$own/group.new" "$own/group"
until [ -e "$folder/go" ] || [ -e "$own/go" ]; do sleep 0.2; done
: >"$own/answered"
printf 'The answer of %s to %s' "$(basename "$HOME")" "$folder"
