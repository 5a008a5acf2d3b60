import { JOIN_TEXT_END, STORE_KEYS } from '#domain/membridge/join-text.rules.ts'
import { EdgeFault } from '../fault.ts'
import type { JoinedValues } from './read-join-text.ts'
import type { Terminal } from './terminal.ts'

/** More than any text of the dialog can need. */
const LIMIT_BYTES = 64 * 1024
const TOO_LONG = `the text is longer than ${LIMIT_BYTES} bytes: paste the text of the dialog alone`

/** What stands on the input: to its end, or, typed at a terminal, to the text's own last line. */
export async function readInput(terminal: Terminal | null): Promise<Uint8Array> {
  return process.stdin.isTTY && terminal ? await readPasted(terminal) : await readPiped()
}

async function readPasted(terminal: Terminal): Promise<Uint8Array> {
  terminal.say(
    'Paste the text of the dialog "Add a node" (it does not appear here). Ctrl-D ends the input.\n',
  )
  let text = ''
  for (;;) {
    const line = await terminal.readHidden()
    if (line === null) break
    text += `${line}\n`
    if (line.trim() === JOIN_TEXT_END) break
    if (text.length > LIMIT_BYTES) throw new EdgeFault(TOO_LONG)
  }
  return Buffer.from(text)
}

async function readPiped(): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > LIMIT_BYTES) throw new EdgeFault(TOO_LONG)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The keys of the object store, as a person types them. One that is left empty is not in the answer. */
export async function askStoreKeys(terminal: Terminal): Promise<JoinedValues> {
  const typed: JoinedValues = {}
  for (const name of STORE_KEYS) {
    terminal.say(`${name} (does not appear; Enter leaves it open): `)
    const key = (await terminal.readHidden())?.trim()
    terminal.say('\n')
    if (key) typed[name] = key
  }
  return typed
}
