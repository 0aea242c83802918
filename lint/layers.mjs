import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tests } from './districts.mjs'

/** The folders that list their layers in layers.json, lowest first. */
const layered = ['console', 'shared', 'tests'].flatMap((room) =>
  readdirSync(room, { recursive: true })
    .filter((path) => /(?:^|\/)layers\.json$/.test(path))
    .map((path) => dirname(join(room, path))),
)

/** A layer imports only layers before it, and no file beside the layers. */
const layerRules = (folder, names) =>
  names.map((layer, i) => ({
    name: `layer-${folder.replaceAll('/', '-')}-${layer}`,
    comment: `A layer imports only layers above it in the list: ${folder}/layers.json.`,
    severity: 'error',
    from: { path: `^${folder}/${layer}/`, pathNot: tests },
    to: { path: `^${folder}/(?!(?:${names.slice(0, i + 1).join('|')})/)` },
  }))

const readLayers = (folder) => {
  const list = JSON.parse(readFileSync(join(folder, 'layers.json'), 'utf8'))
  return { folder, names: Object.keys(list.layers) }
}

const folders = layered.map(readLayers)

/** The list must contain every folder next to its layers. */
const named = folders.map(({ folder, names }) => ({
  name: `layers-${folder.replaceAll('/', '-')}`,
  comment: `${folder}/layers.json must list every folder of ${folder}.`,
  severity: 'error',
  from: {},
  to: { path: `^${folder}/(?!(?:${names.join('|')})/)[^/]+/` },
}))

export const layers = [
  ...named,
  ...folders.flatMap(({ folder, names }) => layerRules(folder, names)),
]
