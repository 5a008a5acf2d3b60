'use client'
import { CrashedOutside } from '#features/shell/index.ts'

export default CrashedOutside
