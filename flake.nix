# SPDX-License-Identifier: GPL-2.0-or-later
# nix build; nix run . -- demo.  It lies here, where nix looks; other recipes: share/packages/
{
  description = "Browser and recorder of Linux kernel traces for the terminal";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" ];
      package = pkgs: pkgs.stdenv.mkDerivation {
        pname = "ftop-trace";
        version = "1.0.0";
        src = self;
        nativeBuildInputs = [ pkgs.autoreconfHook pkgs.pkg-config ];
        # elfutils has libdw; libtraceevent has its plugins.
        buildInputs = [
          pkgs.babeltrace2
          pkgs.elfutils
          pkgs.libiberty
          pkgs.libseccomp
          pkgs.libtraceevent
          pkgs.libtracefs
          pkgs.ncurses
          pkgs.pcre2
          pkgs.xz
          pkgs.zlib
          pkgs.zstd
        ];
        enableParallelBuilding = true;
        doCheck = true;
        checkInputs = [ pkgs.cmocka ];
        checkTarget = "check-units";
        meta = {
          description = "Browser and recorder of Linux kernel traces for the terminal";
          license = pkgs.lib.licenses.gpl2Plus;
          platforms = pkgs.lib.platforms.linux;
          mainProgram = "ftop-trace";
        };
      };
    in
    {
      packages = nixpkgs.lib.genAttrs systems (system: {
        default = package nixpkgs.legacyPackages.${system};
      });
    };
}
