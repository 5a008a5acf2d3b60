'use client'
import type { Action } from './actions.ts'
import { useAction } from './keyboard.tsx'

/** An act of a menu in the command menu and the shortcut help as well, while it is offered. */
export function PaletteAction(action: Omit<Action, 'palette'>) {
  useAction(action)
  return null
}
