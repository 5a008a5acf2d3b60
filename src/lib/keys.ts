/**
 * Which key a reader pressed, as the console names it. Single keys are what the key prints ("j", "?", "["), with a modifier
 * in front where one counts ("mod+k", "shift+Enter"); a sequence is written with a space ("g i").
 * On a Cyrillic layout the physical key decides, so that every shortcut works without changing the layout.
 */
export type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

const BY_CODE: Record<string, [plain: string, shifted: string]> = {
  BracketLeft: ['[', '{'],
  BracketRight: [']', '}'],
  Slash: ['/', '?'],
  Period: ['.', '>'],
  Comma: [',', '<'],
}

function printed({ key, code, shiftKey }: KeyPress): string {
  if (key.length > 1 || key.charCodeAt(0) < 128) return key
  const letter = /^Key([A-Z])$/.exec(code)?.[1]
  if (letter) return shiftKey ? letter : letter.toLowerCase()
  const pair = BY_CODE[code]
  return pair ? pair[shiftKey ? 1 : 0] : key
}

/** The name of one key press, or null for a bare modifier. */
export function nameOfKey(press: KeyPress): string | null {
  if (['Shift', 'Control', 'Alt', 'Meta', 'Dead', 'Process'].includes(press.key)) return null
  const key = printed(press)
  const mod = press.ctrlKey || press.metaKey
  const parts: string[] = []
  if (mod) parts.push('mod')
  if (press.altKey) parts.push('alt')
  if (press.shiftKey && (key.length > 1 || mod)) parts.push('shift')
  parts.push(mod ? key.toLowerCase() : key)
  return parts.join('+')
}

/** How a key is shown: "mod+k" → "Ctrl K" (or "⌘ K"), "Escape" → "Esc". */
export function showKey(keys: string, apple: boolean): string[] {
  return keys.split(/[ +]/).map((part) => SHOWN[part]?.[apple ? 1 : 0] ?? part)
}

const SHOWN: Record<string, [other: string, apple: string]> = {
  mod: ['Ctrl', '⌘'],
  alt: ['Alt', '⌥'],
  shift: ['Shift', '⇧'],
  Enter: ['Enter', '↵'],
  Escape: ['Esc', 'Esc'],
  ArrowUp: ['↑', '↑'],
  ArrowDown: ['↓', '↓'],
  k: ['k', 'k'],
}
