import { join } from 'node:path'
import { readText, replaceFile } from '../workspace/files.ts'

/** The read position in the agent's inbox, stored in the workspace, because reading does not remove messages. */
export class InboxMark {
  readonly #path: string

  constructor(workspace: string) {
    this.#path = join(workspace, 'bus', 'read')
  }

  /** Returns the id of the last read message; undefined before the first. */
  read(): Promise<string | undefined> {
    return readText(this.#path)
  }

  async move(messageId: string): Promise<void> {
    await replaceFile(this.#path, messageId)
  }
}
