import { replaceFile } from '../../gateway/workspace/files.ts'
import { configFile } from '../config.ts'
import type { FrontSettings } from './settings.ts'

/**
 * The configuration of a running OpenClaw, which applies a new file by itself: it restarts only the bot whose senders
 * have changed, and nothing for servers of MCP (its docs, gateway/configuration/hot-reload).
 */
export class LiveConfig {
  #settings: FrontSettings
  #written: Promise<void> = Promise.resolve()

  constructor(settings: FrontSettings) {
    this.#settings = settings
  }

  get connectionNames(): readonly string[] {
    return this.#settings.connectionNames ?? []
  }

  /** Sets the senders that may write to a bot. */
  setSenders(bot: keyof FrontSettings['senders'], ids: string[]): Promise<void> {
    return this.#change({ senders: { ...this.#settings.senders, [bot]: ids } })
  }

  /** Sets the connections that OpenClaw has as servers. */
  setConnections(connectionNames: readonly string[]): Promise<void> {
    return this.#change({ connectionNames })
  }

  /** Writes one file after the other, so that the last one contains all changes. */
  #change(part: Partial<FrontSettings>): Promise<void> {
    this.#settings = { ...this.#settings, ...part }
    const write = () => replaceFile(...configFile(this.#settings, this.#settings.stateDir))
    this.#written = this.#written.then(write, write)
    return this.#written
  }
}
