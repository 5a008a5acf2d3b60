import { describe, expect, it } from 'vitest'
import { checkSql, declarations, readSchema, sqlTemplates } from './sql-names.mjs'

const tables = readSchema(`model Job {
  job_id     String   @id @db.Uuid
  status     String
  agent_slug String
  not_before DateTime?

  @@map("job")
}

model Agent {
  slug   String @id
  status String

  @@map("agent")
}
`)
const states = new Set(['PENDING', 'FAILED', 'active'])

function faultsOf(text: string, around = ''): string[] {
  const source = `${around}\nconst statement = sql\`${text}\``
  const known = new Set<string>()
  for (const template of sqlTemplates(source).templates)
    for (const name of declarations(template.text, tables).names) known.add(name)
  return checkSql(source, { tables, states, known }).map(
    ({ message }: { message: string }) => message.split(':')[0] as string,
  )
}

describe('names in SQL', () => {
  it.each([
    ['a column that no table has', 'SELECT job_idd FROM job', ['job_idd']],
    ['a column of another table', 'SELECT j.slug FROM job j', ['j.slug']],
    ['a table that is none', 'SELECT 1 FROM jobs', ['jobs']],
    ['a column in an assignment', "UPDATE job SET not_befor = now() WHERE job_id = '1'", ['not_befor']],
    ['a state as text', "SELECT 1 FROM job WHERE status = 'FAILED'", ["'FAILED'"]],
    ['a state that is none', "SELECT 1 FROM job WHERE status IN ('FAILD')", ["'FAILD'"]],
    [
      'a state in a list',
      "SELECT 1 FROM job WHERE job_id = 'x' OR status IN ('PENDING', 'FAILED')",
      ["'PENDING'", "'FAILED'"],
    ],
    ['a state as a result', "SELECT CASE WHEN true THEN 'FAILED' END AS was FROM job", ["'FAILED'"]],
  ])('finds %s', (_, text, expected) => {
    expect(faultsOf(text)).toEqual(expected)
  })

  it('finds a column that the machine of a transition has not', () => {
    const around = "transition(db, { machine: 'job', where: sql`o.job_id = 1 AND o.agent_slg = 1` })"
    expect(faultsOf('SELECT 1', around)).toEqual(['o.agent_slg'])
  })

  it.each([
    [
      'joins, aliases and casts',
      'SELECT j.job_id::text AS id, a.status FROM job j JOIN agent a ON a.slug = j.agent_slug',
    ],
    [
      'what a statement introduces',
      'WITH idle AS (SELECT slug AS lane FROM agent) SELECT i.lane FROM idle i',
    ],
    ['columns of a function', 'SELECT i.n FROM unnest(ARRAY[1]) AS i(n)'],
    [
      'text, comments and time zones',
      "SELECT 'not a column' -- nor this\n FROM job WHERE not_before < now() AT TIME ZONE 'UTC'",
    ],
  ])('passes %s', (_, text) => {
    expect(faultsOf(text)).toEqual([])
  })
})
