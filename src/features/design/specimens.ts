import type { Specimen } from './specimen.ts'
import { buttons } from './specimens/buttons.tsx'
import { charts } from './specimens/charts.tsx'
import { chips } from './specimens/chips.tsx'
import { commands } from './specimens/commands.tsx'
import { dialogs } from './specimens/dialogs.tsx'
import { diffs } from './specimens/diffs.tsx'
import { documents } from './specimens/documents.tsx'
import { facts } from './specimens/facts.tsx'
import { forms } from './specimens/forms.tsx'
import { frames } from './specimens/frames.tsx'
import { menus } from './specimens/menus.tsx'
import { notices } from './specimens/notices.tsx'
import { tables } from './specimens/tables.tsx'
import { times } from './specimens/times.tsx'

/** The design system, component by component. A new one is one line here. */
export const SPECIMENS: readonly Specimen[] = [
  buttons,
  chips,
  tables,
  diffs,
  documents,
  forms,
  dialogs,
  menus,
  commands,
  notices,
  facts,
  times,
  charts,
  frames,
]
