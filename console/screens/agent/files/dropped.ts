/** A file with its path below the folder that it is uploaded to. */
export interface NamedFile {
  name: string
  file: File
}

/** Returns the dropped files, with those in dropped folders. */
export async function filesOf({ items }: DataTransfer): Promise<NamedFile[]> {
  // The browser empties the list once the event has been handled.
  const dropped = [...items].map((item) => item.webkitGetAsEntry() ?? item.getAsFile())
  const found = await Promise.all(
    dropped.map((each) => {
      if (each === null) return []
      return each instanceof File ? [{ name: each.name, file: each }] : filesIn(each, '')
    }),
  )
  return found.flat()
}

async function filesIn(entry: FileSystemEntry, folder: string): Promise<NamedFile[]> {
  const name = folder + entry.name
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    return [{ name, file }]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const found: NamedFile[] = []
  // Each call returns some entries, and the last one returns none.
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (entries.length === 0) return found
    for (const each of entries) found.push(...(await filesIn(each, `${name}/`)))
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
