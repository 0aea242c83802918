import { join } from 'node:path'
import { readText, replaceFile } from '../workspace/files.ts'

/** How far the agent has read its inbox, kept in the workspace: reading removes nothing there. */
export class InboxMark {
  readonly #path: string

  constructor(workspace: string) {
    this.#path = join(workspace, 'bus', 'read')
  }

  /** The id of the last message that was read; undefined before the first. */
  read(): Promise<string | undefined> {
    return readText(this.#path)
  }

  async move(messageId: string): Promise<void> {
    await replaceFile(this.#path, messageId)
  }
}
