import type { ComponentType } from 'react'

/** One state of a component, drawn by itself. */
export type SpecimenState = {
  name: string
  Show: ComponentType
  /** It covers the page, so the page of the design system shows it on demand. */
  modal?: true
  /** What is to be seen comes when its buttons are pressed (a menu, a message). */
  press?: true
}

/** A component of the design system in its states. */
export type Specimen = {
  name: string
  /** The files of `src/ui` that it shows; a test asks for every one of them. */
  of: readonly string[]
  states: readonly SpecimenState[]
}
