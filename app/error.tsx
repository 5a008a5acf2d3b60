'use client'
import { CrashedPage } from '#features/shell/index.ts'

export default CrashedPage
