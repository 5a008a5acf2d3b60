'use client'
import { type ComponentProps, use } from 'react'
import { readCatalogue } from './catalogue.ts'
import { LanguageProvider } from './provider.tsx'

type Props = Omit<ComponentProps<typeof LanguageProvider>, 'messages'> & {
  /** The name of the catalogue that the server drew the page with. */
  catalogue: string
}

/** Language, zone and clock of a page, with the messages of its catalogue. */
export function PageLanguage({ catalogue, ...page }: Props) {
  return <LanguageProvider {...page} messages={use(readCatalogue(catalogue))} />
}
