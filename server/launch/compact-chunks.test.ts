import fs from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import vm from 'node:vm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { compactChunks } from './compact-chunks.mjs'
import { inAscii } from './one-byte.mjs'

let folder: string
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-chunks-'))
  fs.mkdirSync(path.join(folder, 'ssr'))
})
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

const write = (name: string, text: string) => fs.writeFileSync(path.join(folder, name), text)
const read = (name: string) => fs.readFileSync(path.join(folder, name), 'utf8')
const load = (name: string) => createRequire(path.join(folder, 'index.js'))(path.join(folder, name))
const mapped = (name: string, code: string) => write(name, `${code}\n//# sourceMappingURL=${name}.map`)

describe('chunks', () => {
  test('that are the same but for their map are loaded once', () => {
    for (const name of ['a.js', 'b.js', 'ssr/c.js']) mapped(name, 'module.exports=[1,()=>"text"]')
    compactChunks(folder)
    expect(load('b.js')).toBe(load('a.js'))
    expect(load('ssr/c.js')).toBe(load('a.js'))
    expect(load('a.js')[1]()).toBe('text')
    expect(read('b.js')).toBe('module.exports=require("./a.js")\n')
    expect(read('ssr/c.js')).toBe('module.exports=require("../a.js")\n')
  })

  test('that differ stay apart', () => {
    mapped('a.js', 'module.exports=[1,()=>"one"]')
    mapped('b.js', 'module.exports=[1,()=>"two"]')
    compactChunks(folder)
    expect([load('a.js')[1](), load('b.js')[1]()]).toEqual(['one', 'two'])
  })

  test('are of one byte a character and mean the same', () => {
    mapped('a.js', 'module.exports=[1,()=>"Чекають …"]')
    compactChunks(folder)
    expect(read('a.js')).toMatch(/^[\0-\x7f]*$/)
    expect(load('a.js')[1]()).toBe('Чекають …')
  })

  test('that would not compile so stay as they were', () => {
    mapped('a.js', 'module.exports=[1,()=>\u00a0"…"]')
    compactChunks(folder)
    expect(load('a.js')[1]()).toBe('…')
  })

  test('are left alone by a second time, like what is no chunk', () => {
    mapped('a.js', 'module.exports=[1,()=>"…"]')
    mapped('b.js', 'module.exports=[1,()=>"…"]')
    write('runtime.js', 'const runtime = "…"\n//# sourceMappingURL=runtime.js.map')
    compactChunks(folder)
    const once = ['a.js', 'b.js'].map(read)
    compactChunks(folder)
    expect(['a.js', 'b.js'].map(read)).toEqual(once)
    expect(read('runtime.js')).toContain('"…"')
  })
})

describe('in ASCII', () => {
  test.each([
    ['"Привіт, «світе» – 🌱"', 'Привіт, «світе» – 🌱'],
    ['`один\n…`', 'один\n…'],
    ['(() => { const ї = 1; return ї })()', 1],
    ['/^[а-яії]+🌱$/u.test("привіт🌱")', true],
    ['/^[а-яї]+$/v.test("Привіт")', false],
    ['JSON.parse(\'{"a":"…"}\').a', '…'],
    ['({ "ключ": 2 }).ключ', 2],
  ])('%s gives the same', (code, value) => {
    const ascii = inAscii(code)
    expect(ascii).toMatch(/^[\0-\x7f]*$/)
    expect(vm.runInNewContext(ascii)).toBe(value)
  })
})
