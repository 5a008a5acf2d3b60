/** What every component test starts from: the product's fonts and styles, and no motion, which would blur what is measured. */
import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import '../../../app/globals.css'
import { watchOverlays } from './overlays.ts'

const still = document.createElement('style')
still.textContent =
  '*, *::before, *::after, ::backdrop { animation-duration: 0s !important; transition: none !important }'
document.head.append(still)

watchOverlays()
