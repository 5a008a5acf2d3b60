/** A garden of a few notes, two of which a guest of the beds does not see, and files that are no notes. */
export const PERSON = { name: 'Owner', email: 'owner@garden.example', at: new Date('2026-01-01T00:00:00Z') }
export const FILES = [
  {
    path: 'Beds/North.md',
    content:
      '---\ntags: [bed, shade]\n---\n# North bed\n\nLeeks and garlic. See [[South]] and [[Nowhere]].\n',
  },
  { path: 'Beds/South.md', content: '# South bed\n\nTomatoes grow here, #bed of the sun.\n' },
  { path: 'Private/Diary.md', content: '# Diary\n\nTomatoes were stolen. [North](../Beds/North.md)\n' },
  { path: 'ІНДЕКС.md', content: '# Індекс\n\nТермін оренди лідерства минув.\n' },
  { path: 'agents/scout/_agent.md', content: '---\nname: scout\n---\nTomatoes.\n' },
  { path: '_bloom/comments/x.md', content: 'Tomatoes.\n' },
]
