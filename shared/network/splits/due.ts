import { dueIndex } from '#shared/platform/work/due-index.ts'

/**
 * The index of wallets with work. Separate from rows.ts, because the operator's view counts due work, but only few
 * functions may access the rows.
 */
export const walletsDue = dueIndex('payers', 8)
