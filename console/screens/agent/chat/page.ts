import type { Message } from '../../../../clients/typescript/index.ts'

/** Consecutive messages of a conversation, oldest first. */
export interface HistoryPage {
  messages: readonly Message[]
  /** The cursor of the previous page. Null on the first page. */
  cursor: string | null
}

/**
 * Merges the latest page into the shown messages. Earlier messages stay if the pages overlap. If more was said in
 * between than a page holds, the list starts over with the new page.
 * @param shown undefined before the first load
 */
export function mergePage(shown: HistoryPage | undefined, page: HistoryPage): HistoryPage {
  if (shown === undefined || page.cursor === null) return page
  const [first] = page.messages
  // The page contained only messages of other conversations.
  if (first === undefined) return shown
  const [oldest, newest] = [shown.messages[0], shown.messages.at(-1)]
  if (oldest === undefined || newest === undefined) return page
  if (first.id <= oldest.id || newest.id < first.id) return page
  const before = shown.messages.filter(({ id }) => id < first.id)
  return { messages: [...before, ...page.messages], cursor: shown.cursor }
}
