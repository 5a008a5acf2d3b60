import fs from 'node:fs'
import tty from 'node:tty'
import { EdgeFault } from '../fault.ts'

/** A terminal at which a person types what must not be seen. */
export type Terminal = {
  say: (text: string) => void
  /** The next line, which does not appear on the screen; null when the person ends the input. */
  readHidden: () => Promise<string | null>
  /** The screen shows what is typed again, and Ctrl-C stops the process. Once is enough. */
  close: () => void
}

/**
 * The terminal of this process: its input, or, where that is a file or a pipe, the one that its messages appear on. Null where
 * nobody sits at one.
 */
export function openTerminal(): Terminal | null {
  if (process.stdin.isTTY) return terminalOn(process.stdin, () => process.stdin.pause())
  if (!process.stderr.isTTY) return null
  try {
    const input = new tty.ReadStream(fs.openSync('/dev/tty', 'r'))
    return terminalOn(input, () => input.destroy())
  } catch {
    return null
  }
}

const ENTER = /[\r\n]/
const CTRL = { c: '\u0003', d: '\u0004', u: '\u0015' } as const
const BACKSPACE = ['\u007f', '\b']

/** Echo is off from the beginning to the end: what is typed early is not shown either. */
function terminalOn(input: tty.ReadStream, release: () => void): Terminal {
  input.setRawMode(true)
  input.setEncoding('utf8')
  const source = input[Symbol.asyncIterator]() as AsyncIterator<string>
  let waiting: string[] = []
  let isClosed = false
  const next = async (): Promise<string | null> => {
    while (waiting.length === 0) {
      const chunk = await source.next()
      if (chunk.done) return null
      // One line end of a paste from elsewhere is one Enter.
      waiting = [...chunk.value.replaceAll('\r\n', '\n')]
    }
    return waiting.shift() ?? null
  }
  return {
    say: (text) => void process.stderr.write(text),
    readHidden: () => readLine(next),
    close() {
      if (isClosed) return
      isClosed = true
      input.setRawMode(false)
      release()
    },
  }
}

async function readLine(next: () => Promise<string | null>): Promise<string | null> {
  let line: string[] = []
  for (;;) {
    const character = await next()
    if (character === CTRL.c) throw new EdgeFault('stopped; nothing was written', { exitCode: 130 })
    if (character === null || character === CTRL.d) return line.length === 0 ? null : line.join('')
    if (ENTER.test(character)) return line.join('')
    if (BACKSPACE.includes(character)) line.pop()
    else if (character === CTRL.u) line = []
    else line.push(character)
  }
}
