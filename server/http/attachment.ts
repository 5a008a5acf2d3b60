/** The `content-disposition` of a file that is saved (RFC 6266): its name in UTF-8, and an ASCII name for clients that know no other. */

/** Characters that a file system forbids or a reader does not see: controls, and formats such as those that turn the writing around. */
const FORBIDDEN = /[\p{C}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu
const NAME_CHARS = 120

type File = { id: string; ending: string }

/** For a file that is named after a title, or after its id where nothing of the title can stand in a name. */
export function attachmentNamed(title: string, { id, ending }: File): string {
  const name = fileName(title) || id
  const plain = /^[\x20-\x7e]+$/.test(name) ? name : id
  return `attachment; filename="${plain}.${ending}"; filename*=UTF-8''${encoded(`${name}.${ending}`)}`
}

function fileName(title: string): string {
  const name = title.toWellFormed().normalize('NFC').replace(FORBIDDEN, ' ').replace(/\s+/gu, ' ')
  const short = [...name.trim()].slice(0, NAME_CHARS).join('')
  return short.replace(/^[. ]+|[. ]+$/gu, '')
}

/** Percent-encoded as RFC 8187 wants it, which leaves fewer characters as they are than `encodeURIComponent` does. */
const encoded = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
