'use client'
import { useState } from 'react'
import { KeyboardProvider } from '#lib/keyboard.tsx'
import { applyToDocument } from '#lib/preferences.ts'
import { Segmented } from '#ui/filter-bar.tsx'
import { Toaster } from '#ui/toaster.tsx'
import { TooltipLayer } from '#ui/tooltip-layer.tsx'
import { SPECIMENS } from '../specimens.ts'
import { SpecimenSection } from './specimen-section.tsx'

const THEMES = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

/** Every component of the design system in its states; for development only. */
export function DesignPage() {
  const [theme, setTheme] = useState('system')
  const choose = (value: string) => {
    applyToDocument('theme', value)
    setTheme(value)
  }
  return (
    <KeyboardProvider>
      <main className="mx-auto w-full max-w-[76rem] px-4 py-6 md:px-8">
        <h1 className="text-xl font-semibold">Design system</h1>
        <div className="mt-3 flex flex-wrap items-center gap-4">
          <Segmented label="Theme" options={THEMES} value={theme} onChange={choose} />
          <nav aria-label="Components" className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
            {SPECIMENS.map(({ name }) => (
              <a key={name} href={`#${encodeURIComponent(name)}`} className="text-accent hover:underline">
                {name}
              </a>
            ))}
          </nav>
        </div>
        {SPECIMENS.map((specimen) => (
          <SpecimenSection key={specimen.name} specimen={specimen} />
        ))}
      </main>
      <Toaster />
      <TooltipLayer />
    </KeyboardProvider>
  )
}
