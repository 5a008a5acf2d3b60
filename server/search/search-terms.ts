/** What a reader typed, as the kinds are asked for it. */
import type { SearchInput } from '#contracts/search.contract.ts'
import type { Machine } from '#domain/kernel/machine.ts'

export type SearchTerms = {
  text: string
  /** Each must be found. */
  words: readonly string[]
  /** States that the whole text names. */
  states: readonly string[]
  /** The beginning of an id. */
  idStart: string
  /** The end of an id as pages show it, or null. */
  idEnd: string | null
}

const MOST_WORDS = 6
/** Shorter words name no state. */
const STATE_LETTERS = 3
/** The end of a long id that stays on screen. */
const SHOWN_END = 6

export function searchTerms({ q, states = [] }: SearchInput): SearchTerms {
  const text = q.trim()
  // A shortened id, as pages show it, is `start…end`.
  const [idStart = '', shownEnd] = text.split('…')
  const end = (shownEnd ?? text).toLowerCase()
  return {
    text,
    words: text.split(/\s+/).slice(0, MOST_WORDS),
    states,
    idStart: shownEnd === undefined ? idStart : '',
    idEnd: /^[0-9a-z]+$/.test(end) && end.length === SHOWN_END ? end : null,
  }
}

/** The states whose name a word begins: `dead`, `backoff`, `cont`. */
export function statesNamed<S extends string>(machine: Machine<S> | null, word: string): S[] {
  const start = word.toLowerCase()
  if (!machine || start.length < STATE_LETTERS) return []
  return machine.states.filter((state) =>
    [state, ...state.split('_')].some((part) => part.toLowerCase().startsWith(start)),
  )
}

/** The states of the machine among these. */
export const statesAmong = <S extends string>(machine: Machine<S> | null, names: readonly string[]): S[] =>
  machine?.states.filter((state) => names.includes(state)) ?? []
