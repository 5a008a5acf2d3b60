import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'

/** Event-loop turns between two pieces: whoever does not wait for the line has time to run far ahead of it. */
const TURNS = 25

async function carry(from: Socket, to: Socket, count: (bytes: number) => void): Promise<void> {
  try {
    for await (const piece of from as AsyncIterable<Buffer>) {
      for (let i = 0; i < TURNS; i++) await turn()
      const taken = to.write(piece)
      count(piece.length)
      if (!taken) await new Promise<void>((resolve) => to.once('drain', resolve).once('close', resolve))
    }
    to.end()
  } catch {
    to.destroy()
  }
}

/** A line to a server that takes its time and counts what it carried each way; it holds a piece at a time. */
export async function startSlowLine(target: string) {
  const { hostname, port } = new URL(target)
  const carried = { up: 0, down: 0 }
  const open = new Set<Socket>()
  const listener = createServer((near) => {
    const far = connect({ host: hostname, port: Number(port) })
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => undefined).once('close', () => open.delete(socket))
    }
    void carry(near, far, (bytes) => {
      carried.up += bytes
    })
    void carry(far, near, (bytes) => {
      carried.down += bytes
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const close = () => {
    for (const socket of open) socket.destroy()
    return new Promise<void>((resolve) => listener.close(() => resolve()))
  }
  return { endpoint: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`, carried, close }
}
