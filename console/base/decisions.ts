import { signal } from '@preact/signals'

/** The number of approvals that this page has decided. Each change reloads the navigation's number of pending ones. */
export const decisions = signal(0)
