import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { choosePort, freePort, needDistinctPorts, needPort, whyTaken } from './ports.mjs'

async function listening(work: (port: number) => Promise<void>): Promise<void> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  await work((server.address() as net.AddressInfo).port)
  await new Promise((resolve) => server.close(resolve))
}

describe('ports', () => {
  test('a port that somebody listens on is taken, and the message names the way out', async () => {
    await listening(async (port) => {
      expect(await whyTaken(port)).toBe('EADDRINUSE')
      await expect(needPort('PORT', port)).rejects.toThrow(
        `PORT=${port + 1} BLOOM_HOME=.bloom-${port + 1} npm start`,
      )
    })
  })

  test('a start whose port is taken writes nothing', async () => {
    await listening(async (port) => {
      const home = path.join(os.tmpdir(), `bloom-untouched-${port}`)
      const env = { ...process.env, BLOOM_HOME: home, PORT: String(port), DATABASE_URL: '' }
      const program = path.join(import.meta.dirname, 'run.mjs')
      const { status, stderr } = spawnSync(process.execPath, [program], { env, encoding: 'utf8' })
      expect({ status, said: stderr.includes(`Port ${port} is taken`) }).toEqual({ status: 1, said: true })
      expect(fs.existsSync(home)).toBe(false)
    })
  })

  test('two programs are not given the same one', () => {
    expect(() => needDistinctPorts({ PORT: 8080, MEMBRIDGE_PORT: 8000, NLM_PORT: 8080 })).toThrow(
      'PORT and NLM_PORT are both 8080: give each its own port',
    )
    expect(() => needDistinctPorts({ PORT: 8080, MEMBRIDGE_PORT: 8000 })).not.toThrow()
  })

  test('one that another program was given by name is not chosen', async () => {
    vi.stubEnv('NLM_PORT', '')
    onTestFinished(() => void vi.unstubAllEnvs())
    const usual = await freePort()
    expect(await choosePort('NLM_PORT', usual, { avoid: [usual] })).not.toBe(usual)
    expect(await choosePort('NLM_PORT', usual)).toBe(usual)
  })

  test('a start that was given one for two programs writes nothing', () => {
    const home = path.join(os.tmpdir(), `bloom-untouched-${process.pid}`)
    const ports = { PORT: '8080', MEMBRIDGE_PORT: '8080' }
    const env = { ...process.env, BLOOM_HOME: home, DATABASE_URL: '', ...ports }
    const program = path.join(import.meta.dirname, 'run.mjs')
    const { status, stderr } = spawnSync(process.execPath, [program], { env, encoding: 'utf8' })
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining('are both 8080') })
    expect(fs.existsSync(home)).toBe(false)
  })

  test('a free one can be listened on', async () => {
    const port = await freePort()
    expect(port).toBeGreaterThan(0)
    const others = await Promise.all(Array.from({ length: 50 }, () => freePort([port])))
    expect(others).not.toContain(port)
  })
})
