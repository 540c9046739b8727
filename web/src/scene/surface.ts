import * as THREE from 'three';
import { shade, sumNormals, faceNormals } from '../core/normals';
import type { Shaded } from '../core/normals';
import { Gradients, skin, tetsOfWeights } from '../core/skinning';
import type { MeshData } from '../core/protocol';
import type { Look } from './materials';

// The surfaces of bodies as three.js draws them: rigid ones, whose vertices stay; skins, that the graphics card puts together
// from tet vertices; and surfaces whose own vertices come in every frame.

/** What bodies of one mesh have in common. */
export class SharedMesh {
  readonly positions: Float32Array;
  readonly triangles: Uint32Array;
  readonly segments: Uint32Array;
  private shadedOnce: Shaded | undefined;
  private rigidOnce: THREE.BufferGeometry | undefined;

  constructor(readonly data: MeshData) {
    this.positions = data.positions ?? new Float32Array();
    this.triangles = data.triangles ?? new Uint32Array();
    this.segments = data.segments ?? new Uint32Array();
  }

  get shaded(): Shaded {
    // Without places at rest nothing tells where edges are: all of it is round.
    this.shadedOnce ??= this.positions.length > 0 ? shade(this.positions, this.triangles) : this.unsplit();
    return this.shadedOnce;
  }

  private unsplit(): Shaded {
    const count = this.triangles.reduce((most, v) => Math.max(most, v + 1), 0);
    const source = Uint32Array.from({ length: count }, (_, i) => i);
    return { source, normals: new Float32Array(3 * count), triangles: this.triangles };
  }

  rigid(): THREE.BufferGeometry {
    if (!this.rigidOnce) {
      const { source, normals, triangles } = this.shaded;
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute('position', new THREE.BufferAttribute(spread(this.positions, source), 3));
      geometry.setAttribute('normal', new THREE.BufferAttribute(normals, 3));
      geometry.setIndex(new THREE.BufferAttribute(triangles, 1));
      geometry.computeBoundingSphere();
      this.rigidOnce = geometry;
    }
    return this.rigidOnce;
  }

  /** Weights of the drawn vertices, after edges were split; given out once for all bodies of the mesh. */
  private skinOnce: { index: THREE.BufferAttribute; weight: THREE.BufferAttribute; triangles: THREE.BufferAttribute } | undefined;
  skinAttributes(): { index: THREE.BufferAttribute; weight: THREE.BufferAttribute; triangles: THREE.BufferAttribute } {
    if (!this.skinOnce) {
      const { source, triangles } = this.shaded;
      const index = new Float32Array(4 * source.length);
      const weight = new Float32Array(4 * source.length);
      for (let i = 0; i < source.length; ++i) {
        for (let k = 0; k < 4; ++k) {
          index[4 * i + k] = this.data.skinIndex![4 * source[i]! + k]!;
          weight[4 * i + k] = this.data.skinWeight![4 * source[i]! + k]!;
        }
      }
      this.skinOnce = {
        index: new THREE.BufferAttribute(index, 4),
        weight: new THREE.BufferAttribute(weight, 4),
        triangles: new THREE.BufferAttribute(triangles, 1),
      };
    }
    return this.skinOnce;
  }

  dispose(): void {
    this.rigidOnce?.dispose();
  }
}

function spread(values: Float32Array, source: Uint32Array): Float32Array {
  const out = new Float32Array(3 * source.length);
  for (let i = 0; i < source.length; ++i) {
    for (let k = 0; k < 3; ++k) out[3 * i + k] = values[3 * source[i]! + k] ?? 0;
  }
  return out;
}

/** A surface whose shape changes: it takes the points of a frame, and says where its own vertices are. */
export interface MovingSurface {
  readonly object: THREE.Mesh;
  setPoints(points: Float32Array): void;
  /** A number for each point, to colour by. */
  setScalars(scalars: Float32Array | undefined): void;
  /** Gives what has changed to the graphics card. */
  update(): void;
  /** Where the vertices of the mesh are now, three numbers each. */
  drawn(): Float32Array;
  dispose(): void;
}

const perRow = 256;

export class SkinSurface implements MovingSurface {
  readonly object: THREE.Mesh;
  private readonly geometry = new THREE.BufferGeometry();
  private texture: THREE.DataTexture | undefined;
  private texels = new Float32Array();
  private points: Float32Array | undefined;
  private scalars: Float32Array | undefined;
  private gradients: Gradients | undefined;
  private cofactors = new Float32Array();
  private changed = false;

  constructor(
    private readonly mesh: SharedMesh,
    private readonly look: Look,
  ) {
    const skinned = mesh.skinAttributes();
    const { source } = mesh.shaded;
    this.geometry.setAttribute('position', new THREE.BufferAttribute(spread(mesh.positions, source), 3));
    this.geometry.setAttribute('skinA', skinned.index);
    this.geometry.setAttribute('weightA', skinned.weight);
    this.geometry.setAttribute('normal', new THREE.BufferAttribute(new Float32Array(3 * source.length), 3));
    this.geometry.setIndex(skinned.triangles);
    this.object = new THREE.Mesh(this.geometry, look.material);
    this.object.customDepthMaterial = look.depth;
    this.object.frustumCulled = false;
    this.object.castShadow = this.object.receiveShadow = true;
    this.object.visible = false;
  }

  setPoints(points: Float32Array): void {
    this.points = points;
    this.changed = true;
  }
  setScalars(scalars: Float32Array | undefined): void {
    if (scalars || this.scalars) this.changed = true;
    this.scalars = scalars;
  }

  drawn(): Float32Array {
    return this.points ? skin(this.mesh.data.skinIndex!, this.mesh.data.skinWeight!, this.points) : this.mesh.positions;
  }

  /** The first shape that is seen is what later ones are compared with. */
  private begin(points: Float32Array): void {
    const data = this.mesh.data;
    const normals = this.geometry.getAttribute('normal') as THREE.BufferAttribute;
    const { source, triangles } = this.mesh.shaded;
    const places = spread(this.drawn(), source);
    sumNormals(faceNormals(places, triangles), triangles, normals.array as Float32Array);
    normals.needsUpdate = true;
    const tets = tetsOfWeights(data.skinIndex!, data.skinWeight!);
    this.gradients = new Gradients(tets, points);
    this.cofactors = new Float32Array(3 * points.length);
    const rows = Math.max(1, Math.ceil(points.length / 3 / perRow));
    this.texels = new Float32Array(4 * 4 * perRow * rows);
    this.texture = new THREE.DataTexture(this.texels, 4 * perRow, rows, THREE.RGBAFormat, THREE.FloatType);
    this.look.uniforms.uVertices.value = this.texture;
    this.object.visible = true;
  }

  update(): void {
    const points = this.points;
    if (!this.changed || !points) return;
    this.changed = false;
    if (!this.texture) this.begin(points);
    this.gradients!.update(points, this.cofactors);
    const out = this.texels;
    for (let v = 0; v < points.length / 3; ++v) {
      const at = 16 * v;
      out[at] = points[3 * v]!;
      out[at + 1] = points[3 * v + 1]!;
      out[at + 2] = points[3 * v + 2]!;
      out[at + 3] = this.scalars?.[v] ?? 0;
      for (let r = 0; r < 3; ++r) {
        for (let k = 0; k < 3; ++k) out[at + 4 + 4 * r + k] = this.cofactors[9 * v + 3 * r + k]!;
      }
    }
    this.texture!.needsUpdate = true;
  }

  dispose(): void {
    this.texture?.dispose();
    this.geometry.dispose();
  }
}

export class PointSurface implements MovingSurface {
  readonly object: THREE.Mesh;
  private readonly geometry = new THREE.BufferGeometry();
  private points: Float32Array | undefined;
  private scalars: Float32Array | undefined;
  private changed = false;

  constructor(
    private readonly mesh: SharedMesh,
    look: Look,
  ) {
    const count = mesh.shaded.source.length;
    this.geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * count), 3));
    this.geometry.setAttribute('normal', new THREE.BufferAttribute(new Float32Array(3 * count), 3));
    this.geometry.setAttribute('scalar', new THREE.BufferAttribute(new Float32Array(count), 1));
    this.geometry.setIndex(new THREE.BufferAttribute(mesh.shaded.triangles, 1));
    this.object = new THREE.Mesh(this.geometry, look.material);
    this.object.frustumCulled = false;
    this.object.castShadow = this.object.receiveShadow = true;
    this.object.visible = false;
  }

  setPoints(points: Float32Array): void {
    this.points = points;
    this.changed = true;
  }
  setScalars(scalars: Float32Array | undefined): void {
    if (scalars || this.scalars) this.changed = true;
    this.scalars = scalars;
  }
  drawn(): Float32Array {
    return this.points ?? this.mesh.positions;
  }

  update(): void {
    if (!this.changed || !this.points) return;
    this.changed = false;
    this.object.visible = true;
    const { source, triangles } = this.mesh.shaded;
    const position = this.geometry.getAttribute('position') as THREE.BufferAttribute;
    const normal = this.geometry.getAttribute('normal') as THREE.BufferAttribute;
    const scalar = this.geometry.getAttribute('scalar') as THREE.BufferAttribute;
    const places = spread(this.points, source);
    (position.array as Float32Array).set(places);
    sumNormals(faceNormals(places, triangles), triangles, normal.array as Float32Array);
    for (let i = 0; i < source.length; ++i) scalar.array[i] = this.scalars?.[source[i]!] ?? 0;
    position.needsUpdate = normal.needsUpdate = scalar.needsUpdate = true;
  }

  dispose(): void {
    this.geometry.dispose();
  }
}
