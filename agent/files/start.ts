import { setTimeout as delay } from 'node:timers/promises'
import { applyDifference } from './apply.ts'
import { type Directory, openRoot } from './directory.ts'
import { type Marker, readMarker, writeMarker } from './marker.ts'
import { FilesPlatform, type PlatformOptions } from './platform.ts'
import { removeEverything } from './remove.ts'
import { FilesError, reasonOf } from './retry.ts'
import { readTree, StoredPacks } from './stored.ts'
import { type Common, foldersByList, Syncer } from './sync.ts'
import { type FolderNode, sameContent, samePart } from './tree.ts'
import type { Opened } from './wire.ts'

/** The number of attempts to restore. Each repeats its requests by itself. */
const attempts = 5
const pauseMs = 5000

export interface RestoreOptions extends PlatformOptions {
  /** The folder that is kept. */
  root: string
  log: (text: string) => void
  /** The longest time between two commits of a long scan, in milliseconds. */
  readingMs?: number
}

export interface Restored {
  root: Directory
  platform: FilesPlatform
  syncer: Syncer
}

/**
 * Registers this container as the holder of the agent's files, and restores them. A run that was killed can be repeated.
 * @throws FilesError if the platform refuses, such as FILES_HELD; any error if the files cannot be restored
 */
export async function restoreFiles(options: RestoreOptions): Promise<Restored> {
  const { log } = options
  const root = await openRoot(options.root)
  const platform = new FilesPlatform(options)
  for (let attempt = 1; ; attempt++) {
    try {
      const startedAt = performance.now()
      const { common, downloaded } = await restore(root, platform)
      if (downloaded > 0) {
        const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
        log(`Files: restored ${downloaded} of ${common.tree.files} files in ${seconds} s`)
      }
      return { root, platform, syncer: new Syncer(root, platform, common, options.readingMs) }
    } catch (error) {
      if (error instanceof FilesError || attempt >= attempts) {
        await root[Symbol.asyncDispose]()
        throw error
      }
      log(`Files: cannot be restored, trying again: ${reasonOf(error)}`)
    }
    await delay(pauseMs)
  }
}

async function restore(
  root: Directory,
  platform: FilesPlatform,
): Promise<{ common: Common; downloaded: number }> {
  const opened = await platform.open()
  const marker = await readMarker(root)
  const { origin, version } = opened
  const isReplaced = marker !== undefined && marker.origin !== origin
  if (marker !== undefined && !isReplaced && samePart(marker.root, opened.root))
    return { common: { origin, version, tree: marker.tree }, downloaded: 0 }
  const packs = new StoredPacks(platform)
  const known = isReplaced || marker === undefined ? new Map() : foldersByList(marker.tree)
  const current = await readTree(packs, opened, known)
  if (isReplaced) await removeEverything(root)
  const downloaded = await takeOver(root, packs, { opened, marker, isReplaced, current })
  const common = { origin, version, tree: current }
  await writeMarker(root, { ...common, committed: true, root: current.tree })
  return { common, downloaded }
}

async function takeOver(
  root: Directory,
  packs: StoredPacks,
  {
    opened,
    marker,
    isReplaced,
    current,
  }: {
    opened: Opened
    marker: Marker | undefined
    isReplaced: boolean
    current: FolderNode
  },
): Promise<number> {
  if (marker === undefined || isReplaced)
    return applyDifference(root, packs, { base: undefined, current })
  if (marker.committed) return applyDifference(root, packs, { base: marker.tree, current })
  if (opened.version < marker.version) {
    // The process was killed before its commit, and the platform has no other. The disk is newer.
    keepStates(marker.tree, current)
    return 0
  }
  // Another commit was first, and whether the own one was before it is unknown. Nothing is removed.
  return applyDifference(root, packs, { base: undefined, current })
}

/** Copies the state of the disk of all files that are equal in both trees. */
function keepStates(from: FolderNode, to: FolderNode): void {
  for (const [name, node] of to.entries) {
    const before = from.entries.get(name)
    if (node.type === 'folder' && before?.type === 'folder') keepStates(before, node)
    if (node.type !== 'file' || before?.type !== 'file') continue
    if (!sameContent(before, node) || before.mode !== node.mode || before.mtime !== node.mtime)
      continue
    node.stat = before.stat
    node.pieces = before.pieces
  }
}
