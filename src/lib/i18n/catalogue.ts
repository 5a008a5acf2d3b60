import { processWide } from '#domain/kernel/process-wide.ts'
import { settled } from '../settled.ts'

/**
 * The messages of one language as a file of their own, which a browser keeps for good: its name changes with its content. The script stands before
 * everything else of a page, so the messages are there when React takes over what the server drew with the same ones. A name that comes later,
 * by a change of the language, is loaded then.
 */
export type Messages = Record<string, unknown>

const KEY = 'catalogues'
const kept = (): Record<string, Messages> => processWide(KEY, () => ({}))
const read = new Map<string, Promise<Messages>>()

export const catalogueHref = (name: string): string => `/messages/${name}.js`

/** Gives the messages of this name to every part of this process. */
export function keepCatalogue(name: string, messages: Messages): void {
  kept()[name] = messages
}

/** A script that does the same in a browser. */
export const catalogueScript = (name: string, messages: Messages): string =>
  `{const key=Symbol.for(${JSON.stringify(`garden-bloom.${KEY}`)});(globalThis[key]??={})[${JSON.stringify(name)}]=${JSON.stringify(messages)}}`

/** The messages of this name, the same promise for all who ask; settled at once where they are there. */
export function readCatalogue(name: string): Promise<Messages> {
  const known = read.get(name)
  if (known) return known
  const messages = kept()[name]
  const promise = messages ? settled(Promise.resolve(messages), messages) : load(name)
  read.set(name, promise)
  return promise
}

const load = (name: string): Promise<Messages> =>
  new Promise((resolve, reject) => {
    const script = document.createElement('script')
    const fail = () => reject(new Error(`The messages ${name} could not be loaded.`))
    script.onload = () => {
      script.remove()
      const messages = kept()[name]
      if (messages) resolve(messages)
      else fail()
    }
    script.onerror = () => {
      script.remove()
      fail()
    }
    script.src = catalogueHref(name)
    document.head.append(script)
  })
