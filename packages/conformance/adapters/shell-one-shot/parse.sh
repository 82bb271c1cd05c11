#!/bin/sh
# A one-shot parser of one <tool_call> per text, with nothing but sed. The question arrives as one line of JSON.
#
#   callspec conformance run --one-shot 'sh parse.sh' --format nous

# The text as it stands in the JSON: what is escaped in it stays escaped, and can be written into JSON again.
text=$(sed 's/.*"text": "\(\([^"\\]\|\\.\)*\)".*/\1/')

case $text in
*'<tool_call>'*'</tool_call>'*)
  content=$(printf '%s' "$text" | sed 's/<tool_call>.*//')
  # In the text the call is JSON in JSON: its quotes are \", its line feeds \n, its own backslashes doubled.
  mark=$(printf '\001')
  call=$(printf '%s' "$text" | sed "s/.*<tool_call>\(.*\)<\/tool_call>.*/\1/; s/\\\\\\\\/$mark/g" |
    sed 's/\\n/ /g; s/\\"/"/g' | sed "s/$mark/\\\\/g")
  name=$(printf '%s' "$call" | sed 's/.*"name": *"\([^"]*\)".*/\1/')
  arguments=$(printf '%s' "$call" | sed -n 's/.*"arguments": *\({.*}\) *}[^}]*$/\1/p')
  [ -n "$arguments" ] || { echo "no arguments in: $call" >&2; exit 1; }
  printf '{"content": "%s", "calls": [{"name": "%s", "arguments": %s}]}\n' "$content" "$name" "$arguments" ;;
*)
  printf '{"content": "%s", "calls": []}\n' "$text" ;;
esac
