/** Runs a program to its end. Plain Node without dependencies. */
import { spawn } from 'node:child_process'
import { ROOT } from './checkout.mjs'
import { LaunchFault } from './progress.mjs'

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set()

/**
 * @typedef {object} RunOptions
 * @property {NodeJS.ProcessEnv} [env]
 * @property {boolean} [show] its output is shown, not collected
 * @property {boolean} [shell]
 * @property {Promise<string>} [input] what it reads, once it is known; nothing when it never will be
 */

/**
 * Runs a program in the checkout; its output is collected, or shown when `show` is set.
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<{ code: number, output: string, stdout: string }>} a program ended by a signal has code 1
 */
export function runToEnd(command, args, { env = process.env, show = false, shell = false, input } = {}) {
  return new Promise((resolve) => {
    const stdio = show ? /** @type {const} */ ('inherit') : undefined
    const stdin = input ? 'pipe' : 'ignore'
    const child = spawn(command, args, { cwd: ROOT, env, shell, stdio: stdio ?? [stdin, 'pipe', 'pipe'] })
    running.add(child)
    // One that has ended reads nothing any more.
    child.stdin?.on('error', () => {})
    input?.catch(() => '').then((text) => child.stdin?.end(text))
    child.once('close', () => running.delete(child))
    let stdout = ''
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      stdout += text
      output += text
    })
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      output += text
    })
    child.once('error', (error) => resolve({ code: 1, output: `${command}: ${error.message}`, stdout }))
    child.once('close', (code) => resolve({ code: code ?? 1, output, stdout }))
  })
}

/**
 * Runs a program that has to succeed; its output is part of the fault otherwise.
 * @param {string} what
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} [options]
 */
export async function mustRun(what, command, args, options) {
  const { code, output, stdout } = await runToEnd(command, args, options)
  if (code !== 0) throw new LaunchFault(`${what} failed (exit code ${code}).\n${output.slice(-6000)}`)
  return stdout
}

/** Ends the programs that run now; settles when they are gone. */
export async function endRunning() {
  const ended = [...running].map((child) => new Promise((resolve) => child.once('close', resolve)))
  for (const child of running) child.kill('SIGTERM')
  await Promise.all(ended)
}
