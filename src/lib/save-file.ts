/** Answers that come without an envelope, from a proxy in between, by their status. */
const WITHOUT_ENVELOPE = {
  error: { code: 'UPSTREAM_UNAVAILABLE', message: 'The server could not be reached.' },
}

/**
 * Saves what `href` answers as a file, under the name that it carries. The address is asked first, so that a refusal is thrown, as an envelope
 * that `toFault` reads, and neither saved nor lost; the file itself is left to the browser's own download.
 */
export async function saveFile(href: string): Promise<void> {
  const answer = await fetch(href, { headers: { 'x-garden': '1' }, cache: 'no-store' })
  if (!answer.ok) throw await answer.json().catch(() => WITHOUT_ENVELOPE)
  await answer.body?.cancel()
  const link = document.createElement('a')
  link.href = href
  link.download = ''
  link.click()
}
