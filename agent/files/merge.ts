import { type FolderNode, folderOf, type Node, sameContent, samePart } from './tree.ts'

/** @typeParam T folders, or nodes that may not exist */
interface Merged<T> {
  /** The platform's tree with the changes of the disk. */
  next: T
  /** The common state of the disk and that tree. */
  common: T
}

/**
 * Merges the changes of a disk into a newer tree of the platform, whose changes the disk does not have yet. The
 * platform's change wins at the same path.
 * @param base what both had in common; nodes that the disk did not change are the same objects in `disk`
 */
export function mergeTrees(
  base: FolderNode,
  disk: FolderNode,
  platform: FolderNode,
): Merged<FolderNode> {
  return disk === base ? { next: platform, common: base } : mergeFolder(base, disk, platform)
}

function mergeFolder(
  base: FolderNode | undefined,
  disk: FolderNode,
  platform: FolderNode,
): Merged<FolderNode> {
  const next = new Map<string, Node>()
  const common = new Map<string, Node>()
  const trees = [base, disk, platform]
  for (const name of new Set(trees.flatMap((tree) => [...(tree?.entries.keys() ?? [])]))) {
    const [before, own, newer] = trees.map((tree) => tree?.entries.get(name))
    const merged = mergeNode(before, own, newer)
    if (merged.next !== undefined) next.set(name, merged.next)
    if (merged.common !== undefined) common.set(name, merged.common)
  }
  const mode = base !== undefined && base.mode === platform.mode ? disk.mode : platform.mode
  const isUnchanged =
    mode === platform.mode &&
    next.size === platform.entries.size &&
    [...next].every(([name, node]) => platform.entries.get(name) === node)
  return {
    next: isUnchanged ? platform : folderOf({ mode, mtime: platform.mtime }, next),
    common: folderOf(disk, common),
  }
}

function mergeNode(
  base: Node | undefined,
  disk: Node | undefined,
  platform: Node | undefined,
): Merged<Node | undefined> {
  if (disk === base) return { next: platform, common: base }
  if (isSame(base, platform)) return { next: disk, common: disk }
  if (disk?.type === 'folder' && (platform === undefined || platform.type === 'folder')) {
    const before = base?.type === 'folder' ? base : undefined
    const newer = platform ?? folderOf(disk, new Map())
    const { next, common } = mergeFolder(before, disk, newer)
    // The platform removed the folder, but what the disk has more stays.
    return { next: platform === undefined && next.entries.size === 0 ? undefined : next, common }
  }
  return { next: platform, common: isSame(disk, platform) ? disk : base }
}

function isSame(one: Node | undefined, other: Node | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  if (one.mode !== other.mode) return false
  if (one.type === 'folder')
    return other.type === 'folder' && one.tree !== undefined && samePart(one.tree, other.tree)
  if (one.type === 'link') return other.type === 'link' && one.target === other.target
  return other.type === 'file' && sameContent(one, other)
}
