import type { Size } from './pixels.ts'
import file from './rules.json' with { type: 'json' }

/** An image of a prompt. */
export interface Image {
  /** Undefined if unknown. */
  size: Size | undefined
  /** True if the caller requests the low detail of OpenAI's models. */
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
 * Returns the input tokens of an image for a model, or the highest possible number: shared/ai/gateway/images/rules.json.
 * @param model its routing id
 */
export function imageTokens(model: string, { size, coarse }: Image): number {
  const rule = rules.find(({ models }) => model.startsWith(models))
  if (rule === undefined) return file.most
  switch (rule.kind) {
    case 'tiles':
      return rule.base + (coarse ? 0 : rule.tile * (size === undefined ? maxTiles : tilesOf(size)))
    case 'patches':
      return Math.ceil(rule.each * (size === undefined ? maxPatches : patchesOf(size)))
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

/** The tiles of the longest possible image: 2,048 by 768. */
const maxTiles = 8

/**
 * Returns the number of 512-pixel tiles of an image, after it is scaled to fit 2,048 by 2,048 and its shorter side to
 * 768.
 */
function tilesOf({ width, height }: Size): number {
  const fit = Math.min(1, 2048 / Math.max(width, height))
  const scale = fit * Math.min(1, 768 / (fit * Math.min(width, height)))
  return Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512)
}

const maxPatches = 1536

/** Returns the number of 32-pixel patches of an image, after it is scaled down to the maximum number. */
function patchesOf({ width, height }: Size): number {
  return Math.min(maxPatches, Math.ceil(width / 32) * Math.ceil(height / 32))
}

/** A small image is one crop. A larger one is split into squares of two thirds of its shorter side, from 256 to 768. */
function cropsOf({ width, height }: Size): number {
  if (width <= 384 && height <= 384) return 1
  const side = Math.min(768, Math.max(256, Math.min(width, height) / 1.5))
  return Math.ceil(width / side) * Math.ceil(height / side)
}
