import { Ellipsis, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { buttonClass } from '#ui/button-class.ts'
import { Menu, type MenuItem } from '#ui/menu.tsx'
import { Tabs } from '#ui/tabs.tsx'
import type { Specimen } from '../specimen.ts'

const nothing = () => undefined
const ITEMS: readonly MenuItem[] = [
  { id: 'first', heading: 'This sample' },
  { id: 'copy', label: 'Copy link', run: nothing },
  { id: 'dense', label: 'Compact rows', run: nothing, checked: true },
  { id: 'refused', label: 'Archive', run: nothing, disabledReason: 'Only the owner can do this' },
  { id: 'delete', label: 'Delete', run: nothing, tone: 'danger', icon: <Trash2 aria-hidden /> },
]
const TABS = [
  { id: 'list', label: 'List', count: 12 },
  { id: 'failures', label: 'Failures' },
  { id: 'other', label: 'A third tab' },
]

function Tabbed() {
  const [tab, setTab] = useState('list')
  return (
    <Tabs label="Views of a sample" tabs={TABS} value={tab} onChange={setTab}>
      <p>Panel of “{tab}”.</p>
    </Tabs>
  )
}

export const menus: Specimen = {
  name: 'Menu and Tabs',
  of: ['menu.tsx', 'tabs.tsx'],
  states: [
    {
      name: 'menu',
      press: true,
      Show: () => (
        <div>
          <Menu label="More actions" className={buttonClass('secondary')} items={ITEMS}>
            <Ellipsis className="size-4" aria-hidden />
          </Menu>
        </div>
      ),
    },
    { name: 'tabs', Show: Tabbed },
  ],
}
