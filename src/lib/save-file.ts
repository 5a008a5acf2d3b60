/** Answers that come without an envelope, from a proxy in between, by their status. */
const WITHOUT_ENVELOPE = {
  error: { code: 'UPSTREAM_UNAVAILABLE', message: 'The server could not be reached.' },
}
/** A browser may begin to read the file some time after the click. */
const KEPT_MS = 60_000

/**
 * Saves what `href` answers as a file, under the name that it carries. It is asked once; a refusal is thrown, as an envelope that `toFault`
 * reads, and not saved.
 */
export async function saveFile(href: string): Promise<void> {
  const answer = await fetch(href, { headers: { 'x-garden': '1' }, cache: 'no-store' })
  if (!answer.ok) throw await answer.json().catch(() => WITHOUT_ENVELOPE)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await answer.blob())
  link.download = nameIn(answer.headers.get('content-disposition') ?? '')
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS)
}

/** The file's name in UTF-8 where there is one, else the plain one (RFC 6266); '' leaves it to the browser. */
function nameIn(disposition: string): string {
  const encoded = /filename\*=UTF-8''([^;\s]+)/i.exec(disposition)?.[1]
  if (encoded) return decodeURIComponent(encoded)
  return /filename="([^"]*)"/i.exec(disposition)?.[1] ?? ''
}
