/** The size of an image in pixels. */
export interface Size {
  width: number
  height: number
}
