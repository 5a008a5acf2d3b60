/**
 * A push that is killed: `push-and-die.ts <point>` pushes with the settings of its environment and prints each call to the store once it was
 * answered. `after:N` kills it when call N was answered, `within:N` when the store has asked for the second chunk of that call's stream, `say:WORD` at a line
 * that begins so; `none` lets it end.
 */
import fs from 'node:fs'
import type { ByteSource } from '#server/ports/byte-source.ts'
import { printFault } from '../command-line.ts'
import { pushFrom } from '../commands/push.command.ts'
import { thisHost } from '../host.ts'
import { openSync } from '../sync/node-context.ts'

const [, , point = 'none'] = process.argv
const [when, what = ''] = point.split(':')
const print = (text: string) => fs.writeSync(1, `${text}\n`)
const die = () => process.kill(process.pid, 'SIGKILL')

let calls = 0
const dyingWithin = (source: ByteSource): ByteSource => ({
  ...source,
  open: async function* () {
    let chunks = 0
    for await (const chunk of source.open()) {
      if (++chunks === 2) die()
      yield chunk
    }
  },
})

const say = (line: string) => {
  print(`say ${line}`)
  if (when === 'say' && line.startsWith(what)) die()
}
const node = await openSync({ host: thisHost(), given: {}, say, stopped: new AbortController().signal })
const store = new Proxy(node.store, {
  get(target, name) {
    const method = Reflect.get(target, name)
    if (typeof method !== 'function') return method
    return async (...args: unknown[]) => {
      const call = ++calls
      if (when === 'within' && call === Number(what)) args[1] = dyingWithin(args[1] as ByteSource)
      const answer = await method.apply(target, args)
      print(`call ${call} ${String(name)} ${String(args[0] ?? '')}`)
      if (when === 'after' && call === Number(what)) die()
      return answer
    }
  },
})
try {
  print(JSON.stringify((await pushFrom({ ...node, store })).json))
} catch (error) {
  const { exitCode, stderr } = printFault(error, false)
  print(stderr)
  process.exitCode = exitCode
}
