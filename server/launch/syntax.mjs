/** What the figures of the house need to know of a source file, read off its syntax tree. */
import fs from 'node:fs'
import path from 'node:path'
import { parseSync } from '@swc/core'

/**
 * @typedef {{ from: string, names: string[], typeOnly: boolean }} Import `names` has * for the whole module
 * @typedef {object} Syntax
 * @property {string} file
 * @property {number} lines
 * @property {number[]} functions lines of each function, arrow function and method
 * @property {{ line: number, text: string, inSql: boolean }[]} strings what stands in quotes, in SQL too
 * @property {boolean} hasSql whether a template is tagged `sql`
 * @property {Import[]} imports with resolved paths; packages are left out
 * @property {string[]} exports names, without the default one
 * @property {Map<string, number>} names how often each identifier stands in the file
 */

const FUNCTIONS = [
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ClassMethod',
  'PrivateMethod',
  'Constructor',
  'MethodProperty',
  'GetterProperty',
  'SetterProperty',
]
const TYPE_IMPORT = /\bimport\('(?<from>[^']+)'\)\.(?<name>\w+)/g
const QUOTED = /'([^'\s]*)'/g

/**
 * Reads one file of a checkout.
 * @param {string} base
 * @param {string} file
 * @returns {Syntax}
 */
export function readSyntax(base, file) {
  const text = fs.readFileSync(path.join(base, file), 'utf8').replace(/^#!/, '//')
  const reading = { file, base, text: Buffer.from(`;${text}`), start: 0, found: emptySyntax(file, text) }
  const module = parseSync(`;${text}`, {
    syntax: 'typescript',
    tsx: file.endsWith('x'),
    target: 'es2022',
  })
  // Positions go on from one parsed file to the next: the added first statement tells where this one begins.
  reading.start = module.body[0]?.span.start ?? 0
  visit(reading, module)
  for (const { groups } of text.matchAll(TYPE_IMPORT))
    addImport(reading, groups?.from ?? '', [groups?.name ?? ''], true)
  return reading.found
}

/** @returns {Syntax} */
const emptySyntax = (/** @type {string} */ file, /** @type {string} */ text) => ({
  file,
  lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
  functions: [],
  strings: [],
  hasSql: false,
  imports: [],
  exports: [],
  names: new Map(),
})

function visit(reading, node) {
  if (Array.isArray(node)) {
    for (const part of node) visit(reading, part)
    return
  }
  if (typeof node !== 'object' || node === null) return
  READERS[node.type]?.(reading, node)
  if (FUNCTIONS.includes(node.type)) reading.found.functions.push(linesOf(reading, node.span))
  for (const part of Object.values(node)) visit(reading, part)
}

const lineAt = ({ text, start }, position) =>
  text
    .subarray(0, position - start)
    .toString()
    .split('\n').length

const linesOf = (reading, { start, end }) => lineAt(reading, end) - lineAt(reading, start) + 1

function addString(reading, span, text, inSql = false) {
  reading.found.strings.push({ line: lineAt(reading, span.start), text, inSql })
}

function addImport({ base, file, found }, specifier, names, typeOnly) {
  const from = resolveImport(base, file, specifier)
  if (from) found.imports.push({ from, names, typeOnly })
}

/** A file of the checkout, or '' for a package. */
function resolveImport(base, file, specifier) {
  if (specifier.startsWith('.')) return path.posix.normalize(`${path.posix.dirname(file)}/${specifier}`)
  const [, alias, rest] = /^#(\w+)\/(.*)$/.exec(specifier) ?? []
  if (!alias) return ''
  return [`src/${alias}/${rest}`, `${alias}/${rest}`].find((at) => fs.existsSync(path.join(base, at))) ?? ''
}

const declared = (declaration) => {
  if (declaration.type !== 'VariableDeclaration') return [declaration.identifier ?? declaration.id]
  return declaration.declarations.flatMap(({ id }) =>
    id.type === 'ObjectPattern' ? id.properties.map((property) => property.key ?? property.value) : [id],
  )
}

const specifierName = (specifier) => {
  if (specifier.type === 'ImportNamespaceSpecifier') return '*'
  if (specifier.type === 'ImportDefaultSpecifier') return 'default'
  return (specifier.imported ?? specifier.local ?? specifier.orig).value
}

const READERS = {
  Identifier: ({ found }, { value }) => found.names.set(value, (found.names.get(value) ?? 0) + 1),
  StringLiteral: (reading, { span, value }) => addString(reading, span, value),
  TaggedTemplateExpression: (reading, { tag, template }) => {
    if (tag.value !== 'sql') return
    reading.found.hasSql = true
    for (const { raw, span } of template.quasis)
      for (const [, value] of raw.matchAll(QUOTED)) addString(reading, span, value, true)
  },
  ImportDeclaration: (reading, { source, specifiers, typeOnly }) => {
    const onlyTypes = typeOnly || (specifiers.length > 0 && specifiers.every((one) => one.isTypeOnly))
    addImport(reading, source.value, specifiers.map(specifierName), onlyTypes)
  },
  CallExpression: (reading, { callee, arguments: [first] }) => {
    if (callee.type !== 'Import' || first?.expression.type !== 'StringLiteral') return
    addImport(reading, first.expression.value, ['*'], false)
  },
  ExportDeclaration: ({ found }, { declaration }) => {
    found.exports.push(...declared(declaration).map((id) => id.value))
  },
  ExportNamedDeclaration: (reading, { specifiers, source, typeOnly }) => {
    const named = specifiers.filter((one) => one.type === 'ExportSpecifier')
    if (source)
      addImport(
        reading,
        source.value,
        named.map((one) => one.orig.value),
        typeOnly,
      )
    reading.found.exports.push(...named.map((one) => (one.exported ?? one.orig).value))
  },
  ExportAllDeclaration: (reading, { source }) => addImport(reading, source.value, ['*'], false),
}
