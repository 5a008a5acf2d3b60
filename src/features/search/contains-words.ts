/** True when the text holds every word that was typed, in any order and case. */
export function containsWords(text: string, typed: string): boolean {
  const folded = text.toLocaleLowerCase()
  return typed
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => folded.includes(word))
}
