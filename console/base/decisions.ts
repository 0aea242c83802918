import { signal } from '@preact/signals'

/** The number of approvals that this page has decided. The navigation loads its number of pending ones again with it. */
export const decisions = signal(0)
