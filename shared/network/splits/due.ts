import { dueIndex } from '#shared/platform/work/due-index.ts'

/**
 * The place in the index of wallets with work. Separate from the rows, which few functions may access: the operator's
 * view counts due work.
 */
export const walletsDue = dueIndex('payers', 8)
