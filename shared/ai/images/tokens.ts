import file from './rules.json' with { type: 'json' }
import type { Size } from './pixels.ts'

/** An image of a prompt. */
export interface Image {
  /** Undefined where it is unknown. */
  size: Size | undefined
  /** Whether the caller is content with the coarse look at it that OpenAI's models offer. */
  coarse: boolean
}

type Rule =
  | { kind: 'tiles'; base: number; tile: number }
  | { kind: 'patches'; each: number }
  | { kind: 'area'; pixels: number; most: number }
  | { kind: 'crops'; crop: number; most: number }
  | { kind: 'none' }

const rules = file.rules as readonly (Rule & { models: string })[]

/**
 * The input tokens that an image counts for a model, or the most that it may count; by shared/ai/images/rules.json.
 * @param model by its routing id
 */
export function imageTokens(model: string, { size, coarse }: Image): number {
  const rule = rules.find(({ models }) => model.startsWith(models))
  if (rule === undefined) return file.most
  switch (rule.kind) {
    case 'tiles':
      return rule.base + (coarse ? 0 : rule.tile * (size === undefined ? mostTiles : tilesOf(size)))
    case 'patches':
      return Math.ceil(rule.each * (size === undefined ? mostPatches : patchesOf(size)))
    case 'area':
      return size === undefined
        ? rule.most
        : Math.min(rule.most, Math.ceil((size.width * size.height) / rule.pixels))
    case 'crops':
      return size === undefined ? rule.most : Math.min(rule.most, rule.crop * cropsOf(size))
    case 'none':
      return 0
  }
}

/** Of an image that is as long as may be: 2,048 by 768. */
const mostTiles = 8

/** Squares of 512 that cover an image, once it fits into 2,048 square and its shorter side into 768. */
function tilesOf({ width, height }: Size): number {
  const fit = Math.min(1, 2048 / Math.max(width, height))
  const scale = fit * Math.min(1, 768 / (fit * Math.min(width, height)))
  return Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512)
}

const mostPatches = 1536

/** Squares of 32 that cover an image, which is made smaller until they are not too many. */
function patchesOf({ width, height }: Size): number {
  return Math.min(mostPatches, Math.ceil(width / 32) * Math.ceil(height / 32))
}

/** A small image is one; a larger one is cut into squares of two thirds of its shorter side, of 256 to 768. */
function cropsOf({ width, height }: Size): number {
  if (width <= 384 && height <= 384) return 1
  const side = Math.min(768, Math.max(256, Math.min(width, height) / 1.5))
  return Math.ceil(width / side) * Math.ceil(height / side)
}
