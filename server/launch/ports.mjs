/** Which TCP ports can be had. */
import net from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { LaunchFault } from './progress.mjs'

/**
 * A TCP port of 127.0.0.1 that is free now and none of those that somebody of ours will need.
 * @param {readonly number[]} [avoid]
 * @returns {Promise<number>}
 */
export async function freePort(avoid = []) {
  for (;;) {
    const port = await anyPort()
    if (!avoid.includes(port)) return port
  }
}

/** @returns {Promise<number>} */
function anyPort() {
  return new Promise((resolve, reject) => {
    const probe = net.createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/**
 * Why a port cannot be had, or null. Asks by listening and by connecting: on some systems a second listener on
 * another address of the same port is let in and would get only half of the connections.
 * @param {number} port
 * @param {string} [host]
 * @returns {Promise<string | null>} the system's error code
 */
export async function whyTaken(port, host = '127.0.0.1') {
  const code = await new Promise((resolve) => {
    const probe = net.createServer()
    probe.once('error', (/** @type {NodeJS.ErrnoException} */ error) => resolve(error.code ?? 'unknown'))
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(null)))
  })
  if (code) return code
  return (await answers(port, '127.0.0.1')) || (await answers(port, '::1')) ? 'EADDRINUSE' : null
}

function answers(port, host) {
  return new Promise((resolve) => {
    const socket = net.connect({ port, host })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** How long the programs of a start that was killed may take to end and to leave their ports. */
const LEAVING_MS = 3_000

/**
 * Refuses a port that is taken and stays so, naming the way out.
 * @param {string} variable
 * @param {number} port
 * @param {string} [host]
 */
export async function needPort(variable, port, host) {
  const deadline = performance.now() + LEAVING_MS
  let code = await whyTaken(port, host)
  while (code === 'EADDRINUSE' && performance.now() < deadline) {
    await pause(100)
    code = await whyTaken(port, host)
  }
  if (!code) return
  const why =
    { EADDRINUSE: 'is taken', EACCES: 'may not be used by this account' }[code] ?? `cannot be had (${code})`
  const remedy = `${variable}=${port + 1} BLOOM_HOME=.bloom-${port + 1} npm start`
  throw new LaunchFault(
    `Port ${port} ${why}. If it is another Garden Bloom, it keeps running; start this one beside it:\n\n    ${remedy}\n`,
  )
}

/**
 * Refuses one port for two programs.
 * @param {Record<string, number>} ports by the variable that names each
 */
export function needDistinctPorts(ports) {
  const names = Object.keys(ports)
  for (const [i, name] of names.entries()) {
    const other = names.slice(0, i).find((earlier) => ports[earlier] === ports[name])
    if (other) throw new LaunchFault(`${other} and ${name} are both ${ports[name]}: give each its own port\n`)
  }
}

/**
 * The wanted port when it was asked for by name (refused if taken), else the usual one or any free one.
 * @param {string} variable
 * @param {number} usual
 * @param {{ host?: string, avoid?: readonly number[] }} [options] ports that others of ours will want are not chosen
 * @returns {Promise<number>}
 */
export async function choosePort(variable, usual, { host, avoid = [] } = {}) {
  const given = process.env[variable]
  if (given) {
    await needPort(variable, Number(given), host)
    return Number(given)
  }
  return avoid.includes(usual) || (await whyTaken(usual, host)) ? freePort(avoid) : usual
}
